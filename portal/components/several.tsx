import { useState, type ReactNode } from 'react';
import css from './fields.module.css';
import { Note } from './note.tsx';
import { Toggle } from './toggle.tsx';
import { useKept } from './use-kept.ts';

/** The state of a choice of one or more of several values, for {@link Several}. */
export function useSeveral<Value extends string>(form: string, field: string, first: readonly Value[]) {
  const [chosen, setChosen] = useKept(form, field, first);
  const [isNoneTold, setNoneTold] = useState(false);
  const choose = (value: Value, isOn: boolean): void => {
    setNoneTold(false);
    setChosen((before) => (isOn ? [...before, value] : before.filter((one) => one !== value)));
  };
  /** Whether none is chosen. The choice tells that from then on. */
  const isNone = (): boolean => {
    setNoneTold(chosen.length === 0);
    return chosen.length === 0;
  };
  return { chosen, isNoneTold, choose, isNone };
}

interface SeveralProps<Value extends string> {
  readonly label: string;
  readonly choice: ReturnType<typeof useSeveral<Value>>;
  /** The values in their order, each with its text. */
  readonly options: readonly (readonly [value: Value, words: ReactNode])[];
  /** Side by side, as many as there is room for. */
  readonly hasColumns?: boolean;
}

/** A choice of one or more of several values. */
export const Several = <Value extends string>({ label, choice, options, hasColumns = false }: SeveralProps<Value>) => (
  <>
    <fieldset className={css.several}>
      <legend className={css.legend}>{label}</legend>
      <div className={hasColumns ? css.columns : css.options}>
        {options.map(([value, words]) => (
          <Toggle key={value} isOn={choice.chosen.includes(value)} onChange={(isOn) => choice.choose(value, isOn)}>
            {words}
          </Toggle>
        ))}
      </div>
    </fieldset>
    {choice.isNoneTold && (
      <Note kind="bad" isAlert>
        Choose at least one.
      </Note>
    )}
  </>
);
