import { Select } from '../components/select.tsx';
import { CONTRACT } from '../gateway/contract.ts';
import { isObject, simulationIn } from './requests.ts';

interface SimulateFieldProps {
  readonly body: string;
  readonly onChange: (value: string) => void;
}

/** The choice of `simulate`. It is a member of the body, and is written there. */
export function SimulateField({ body, onChange }: SimulateFieldProps) {
  const value = simulationIn(body);
  const isOther = value !== '' && !CONTRACT.simulations.includes(value);
  return (
    <Select
      label="simulate"
      value={value}
      onChange={onChange}
      isDisabled={!isObject(body)}
      options={[
        ['', 'Nothing: the real answer'],
        ...[...CONTRACT.simulations, ...(isOther ? [value] : [])].map((code) => [code, code] as const),
      ]}
    />
  );
}
