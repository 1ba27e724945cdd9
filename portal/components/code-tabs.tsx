import { useState, type ReactNode } from 'react';
import { RadioButton, RadioField, RadioGroup } from 'react-aria-components/RadioGroup';
import { CURL_PING, PYTHON_PING, TYPESCRIPT_PING } from '../docs/samples.ts';
import { Code, CodeBlock, useReal } from './code-block.tsx';
import css from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

interface Language {
  readonly name: string;
  readonly text: string;
  /** The name of the code: `the curl command`. */
  readonly what: string;
  /** What is done after it, and the code of that. */
  readonly next?: { readonly about: ReactNode; readonly text: string; readonly what: string };
}

interface CodeTabsProps {
  readonly languages: readonly Language[];
  /** What they say the same about, where a page has several. */
  readonly about?: string;
}

/**
 * The same code in several languages, one at a time. It looks like tabs, but is a group of radio buttons: their
 * component is in the code of the first page already, and a component for tabs would make that a tenth larger.
 */
export function CodeTabs({ languages, about }: CodeTabsProps) {
  const real = useReal();
  const [chosen, setChosen] = useState(languages[0]?.name ?? '');
  const shown = languages.find(({ name }) => name === chosen);
  const block = (
    <div className={css.block}>
      <div className={css.bar}>
        <RadioGroup
          aria-label={about === undefined ? 'Language' : `Language for ${about}`}
          orientation="horizontal"
          value={chosen}
          onChange={setChosen}
          className={css.tabs ?? ''}
        >
          {languages.map(({ name }) => (
            <RadioField key={name} value={name}>
              <RadioButton className={css.tab ?? ''}>{name}</RadioButton>
            </RadioField>
          ))}
        </RadioGroup>
        {shown && <CopyButton key={shown.name} text={real(shown.text)} what={shown.what} isBare />}
      </div>
      {shown && <Code text={shown.text} what={shown.what} />}
    </div>
  );
  if (!shown?.next) return block;
  const { about: between, ...next } = shown.next;
  return (
    <>
      {block}
      <p>{between}</p>
      <CodeBlock key={shown.name} {...next} />
    </>
  );
}

/** A first request, in three languages. */
export const PING_IN: readonly Language[] = [
  { name: 'curl', text: CURL_PING, what: 'the curl command' },
  { name: 'TypeScript', text: TYPESCRIPT_PING, what: 'the TypeScript program' },
  { name: 'Python', text: PYTHON_PING, what: 'the Python program' },
];
