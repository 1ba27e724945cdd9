import { useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';
import { curlPing, pythonPing, typescriptPing } from '../docs/samples.ts';
import { Code } from './code-block.tsx';
import css from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

interface Language {
  readonly name: string;
  readonly text: string;
  /** What it is: `the curl command`. */
  readonly what: string;
}

interface CodeTabsProps {
  readonly languages: readonly Language[];
  readonly gatewayUrl: string;
}

/** The same in several languages, one at a time. */
export function CodeTabs({ languages, gatewayUrl }: CodeTabsProps) {
  const [chosen, setChosen] = useState(languages[0]?.name ?? '');
  const shown = languages.find(({ name }) => name === chosen);
  return (
    <Tabs className={css.block ?? ''} selectedKey={chosen} onSelectionChange={(name) => setChosen(String(name))}>
      <div className={css.bar}>
        <TabList aria-label="Language" className={css.tabs ?? ''}>
          {languages.map(({ name }) => (
            <Tab key={name} id={name} className={css.tab ?? ''}>
              {name}
            </Tab>
          ))}
        </TabList>
        {shown && <CopyButton key={shown.name} text={shown.text} what={shown.what} isBare />}
      </div>
      {languages.map(({ name, text, what }) => (
        <TabPanel key={name} id={name}>
          <Code {...{ text, what, gatewayUrl }} />
        </TabPanel>
      ))}
    </Tabs>
  );
}

/** A first request, in three languages. */
export const pingIn = (gatewayUrl: string): readonly Language[] => [
  { name: 'curl', text: curlPing(gatewayUrl), what: 'the curl command' },
  { name: 'TypeScript', text: typescriptPing(gatewayUrl), what: 'the TypeScript program' },
  { name: 'Python', text: pythonPing(gatewayUrl), what: 'the Python program' },
];
