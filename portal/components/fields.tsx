import type { ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { RadioButton, RadioField, RadioGroup } from 'react-aria-components/RadioGroup';
import { Text } from 'react-aria-components/Text';
import { TextField as AriaTextField, type TextFieldProps } from 'react-aria-components/TextField';
import css from './fields.module.css';

interface TextProps extends Omit<TextFieldProps, 'className' | 'children' | 'style'> {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
}

/** A line of text with its label; what is wrong with it is said below it. */
export const TextField = ({ label, hint, ...props }: TextProps) => (
  <AriaTextField {...props} autoComplete={props.autoComplete ?? 'off'} className={css.field ?? ''}>
    <Label className={css.label ?? ''}>{label}</Label>
    <Input className={css.input ?? ''} />
    {hint !== undefined && (
      <Text slot="description" className={css.hint ?? ''}>
        {hint}
      </Text>
    )}
    <FieldError className={css.error ?? ''} />
  </AriaTextField>
);

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly name: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** The values in their order, each with its words and what they mean. */
  readonly options: readonly (readonly [value: Value, words: string, meaning?: string])[];
}

/** One of few, each with its meaning. */
export const Choice = <Value extends string>({ label, name, value, onChange, options }: ChoiceProps<Value>) => (
  <RadioGroup name={name} value={value} onChange={(chosen) => onChange(chosen as Value)} className={css.field ?? ''}>
    <Label className={css.label ?? ''}>{label}</Label>
    {options.map(([option, words, meaning]) => (
      <RadioField key={option} value={option}>
        <RadioButton className={css.radio ?? ''}>
          <span className={css.mark} />
          <span>
            {words}
            {meaning !== undefined && <span className={css.hint}> {meaning}</span>}
          </span>
        </RadioButton>
      </RadioField>
    ))}
    <FieldError className={css.error ?? ''} />
  </RadioGroup>
);
