import type { ReactNode } from 'react';
import { Check } from 'lucide-react';
import { CheckboxButton, CheckboxField } from 'react-aria-components/Checkbox';
import { Icon } from './icon.tsx';
import css from './toggle.module.css';

interface ToggleProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly children: ReactNode;
}

/** A switch: on or off. */
export const Toggle = ({ isOn, onChange, children }: ToggleProps) => (
  <CheckboxField isSelected={isOn} onChange={onChange}>
    <CheckboxButton className={css.toggle ?? ''}>
      <span className={css.box}>{isOn && <Icon of={Check} size="small" />}</span>
      {children}
    </CheckboxButton>
  </CheckboxField>
);
