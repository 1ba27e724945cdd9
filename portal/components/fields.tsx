import { use, useState, type FocusEvent, type ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { RadioButton, RadioField, RadioGroup } from 'react-aria-components/RadioGroup';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as AriaTextField, type TextFieldProps } from 'react-aria-components/TextField';
import css from './fields.module.css';
import { Problems } from './form-problems.ts';

interface TextProps extends Pick<TextFieldProps, 'value' | 'autoFocus' | 'inputMode'> {
  readonly placeholder?: string;
  /** The name in its form. */
  readonly name: string;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly onChange: (value: string) => void;
  /** The part that is pressed to choose it. */
  readonly beside?: ReactNode;
  /** Lines of data, such as JSON. */
  readonly isLines?: boolean;
}

/** A line of text, or some lines, with its label. Its error is below it. */
export function TextField({ label, hint, onChange, beside, isLines = false, placeholder = '', ...props }: TextProps) {
  const { messageOf, onMended } = use(Problems);
  const message = messageOf(props.name);
  const [offered] = useState(props.autoFocus ? props.value : undefined);
  /** At focus it selects the suggested text, so typing replaces it. Text that the person has typed is not selected. */
  const selectOffered = ({ currentTarget }: FocusEvent<HTMLInputElement>): void => {
    if (currentTarget.value === offered) currentTarget.select();
  };
  const change = (value: string): void => {
    onMended();
    onChange(value);
  };
  return (
    <AriaTextField
      {...props}
      onChange={change}
      isInvalid={message !== undefined}
      validationBehavior="aria"
      autoComplete="off"
      className={css.field ?? ''}
    >
      <Label className={css.label ?? ''}>{label}</Label>
      <div className={css.line}>
        {isLines ? (
          <TextArea className={css.lines ?? ''} rows={3} spellCheck={false} />
        ) : (
          <Input className={css.input ?? ''} placeholder={placeholder} onFocus={selectOffered} />
        )}
        {beside}
      </div>
      {hint !== undefined && (
        <Text slot="description" className={css.hint ?? ''}>
          {hint}
        </Text>
      )}
      <FieldError className={css.error ?? ''}>{message}</FieldError>
    </AriaTextField>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly name: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** The values in their order, each with its label and meaning. */
  readonly options: readonly (readonly [value: Value, words: string, meaning?: string])[];
  /** In one line, where labels are enough. */
  readonly isInLine?: boolean;
  readonly hint?: ReactNode;
}

/** A choice of one of few values, each with its meaning. */
export const Choice = <Value extends string>({
  label,
  name,
  value,
  onChange,
  options,
  isInLine = false,
  hint,
}: ChoiceProps<Value>) => {
  const radios = options.map(([option, words, meaning]) => (
    <RadioField key={option} value={option}>
      <RadioButton className={(isInLine ? css.segment : css.radio) ?? ''}>
        {!isInLine && <span className={css.mark} />}
        <span>
          {words}
          {meaning !== undefined && <span className={css.hint}> {meaning}</span>}
        </span>
      </RadioButton>
    </RadioField>
  ));
  return (
    <RadioGroup name={name} value={value} onChange={(chosen) => onChange(chosen as Value)} className={css.field ?? ''}>
      <Label className={css.label ?? ''}>{label}</Label>
      {isInLine ? <div className={css.segments}>{radios}</div> : radios}
      {hint !== undefined && (
        <Text slot="description" className={css.hint ?? ''}>
          {hint}
        </Text>
      )}
    </RadioGroup>
  );
};
