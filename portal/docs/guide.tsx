import { type ReactNode, use, useState } from 'react';
import { Link } from 'wouter';
import { CodeBlock } from '../components/code-block.tsx';
import { List } from '../components/list.tsx';
import { Select } from '../components/select.tsx';
import { WithSupport } from '../components/support.tsx';
import { Page } from '../components/page.tsx';
import type { Block, Guide, Inline } from '../gateway/types.ts';
import css from './docs.module.css';
import sharedCss from '../styles/shared.module.css';
import { InstallPython, InstallTypescript } from './install.tsx';
import { Operations } from './reference.tsx';
import { linesFor } from './samples.ts';
import { Section } from './section.tsx';
import { useAnchor } from './use-anchor.ts';
import { Muted } from '../components/card.tsx';
import { Prose } from '../components/prose.tsx';
import { ERRORS } from '../gateway/errors.ts';
import { CodeTabs } from '../components/code-tabs.tsx';
import { CONTRACT } from '../gateway/contract.ts';
import { HappenNow } from '../try-it/happen-now.tsx';
import { signInAddress } from '../routes.ts';
import { SessionContext } from '../session.ts';
import { formatCount } from '../text/format.ts';

/** The parts of pages that are more than prose, by the names of their places in it. */
const SLOTS: Readonly<Record<string, (props: { readonly anchor: string }) => ReactNode>> = {
  errors: Errors,
  'install-python': InstallPython,
  'install-typescript': InstallTypescript,
  operations: Operations,
  'portal-limits': PortalLimits,
};
/** Those that have sections of their own. */
const OF_SECTIONS = new Set(['errors', 'operations']);

/** A page of the documentation. The build made its parts from Markdown. */
export function GuidePage({ guide: { title, about, sections } }: { readonly guide: Guide }) {
  const anchor = useAnchor();
  return (
    <Page title={title} about={<Line of={about} />}>
      <div className={css.text}>
        {sections.flatMap(({ id, title: heading, blocks }) => {
          const isOfSections = (block: Block): boolean => block.kind === 'slot' && OF_SECTIONS.has(block.name);
          return [
            <Section key={id} id={id} title={heading}>
              {blocks.map((block, index) => !isOfSections(block) && <Part key={index} of={block} anchor={anchor} />)}
            </Section>,
            ...blocks
              .filter(isOfSections)
              .map((block, index) => <Part key={`${id}-${index}`} of={block} anchor={anchor} />),
          ];
        })}
      </div>
    </Page>
  );
}

/** A row of a table, and its number. */
interface TableRow {
  readonly cells: readonly (readonly Inline[])[];
  readonly row: number;
}

function Part({ of: block, anchor }: { readonly of: Block; readonly anchor: string }) {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p>
          <Line of={block.content} />
        </p>
      );
    case 'list':
      return (
        <ul>
          {block.items.map((item, index) => (
            <li key={index}>
              <Line of={item} />
            </li>
          ))}
        </ul>
      );
    case 'table':
      return (
        <List<TableRow>
          label={block.headings.join(', ')}
          items={block.rows.map((cells, row) => ({ cells, row }))}
          idOf={({ row }) => String(row)}
          columns={block.headings.map((heading, index) => ({
            heading,
            cell: ({ cells }) => <Line of={cells[index] ?? []} />,
            ...(block.headings.length === 2 && { narrow: index === 0 ? ('lead' as const) : ('below' as const) }),
          }))}
        />
      );
    case 'code':
      return <CodeBlock what={block.what} parts={block.parts} text={block.text} />;
    case 'choice':
      return <Choice of={block} />;
    case 'slot': {
      const Slot = SLOTS[block.name];
      return Slot && <Slot anchor={anchor} />;
    }
  }
}

/** One of several samples, with what it is about. */
function Choice({ of: { label, options } }: { readonly of: Extract<Block, { kind: 'choice' }> }) {
  const [name, setName] = useState(options[0]?.name ?? '');
  const shown = options.find((option) => option.name === name);
  return (
    <>
      <Select
        label={label}
        value={name}
        onChange={setName}
        options={options.map((option) => [option.name, option.name])}
      />
      {shown && (
        <>
          <p>{shown.about}</p>
          <CodeBlock key={name} {...shown.code} />
        </>
      )}
    </>
  );
}

/** Text with code, bold and slanted type, and links. */
const Line = ({ of: content }: { readonly of: readonly Inline[] }) =>
  content.map((part, index) => {
    if (typeof part === 'string') return <WithSupport key={index} text={part} />;
    const [Name, within, address] = part;
    const line = <Line of={within} />;
    if (Name === 'code') {
      return (
        <code key={index} translate="no">
          {line}
        </code>
      );
    }
    if (Name !== 'a') return <Name key={index}>{line}</Name>;
    return address.startsWith('/docs') ? (
      <Link key={index} href={address}>
        {line}
      </Link>
    ) : (
      <a key={index} href={address} download={address.endsWith('.yaml')}>
        {line}
      </a>
    );
  });

/** Every code of the gateway, each with its own address. */
function Errors({ anchor }: { readonly anchor: string }) {
  return ERRORS.map(({ code, status, title, detail, meaning, todo }) => (
    <Section
      key={code}
      id={code}
      title={<code translate="no">{code}</code>}
      aside={
        <>
          <span className={sharedCss.tag}>{status}</span>
          <span className={css.status}>{title}</span>
        </>
      }
      isTarget={anchor === code}
    >
      <p>{meaning}</p>
      <p>
        <b>What to do:</b> <Prose of={todo} />
      </p>
      <p>
        <Muted>
          Its <code>detail</code>: {detail}
        </Muted>
      </p>
      <MakeThisHappen code={code} isChosen={anchor === code} />
    </Section>
  ));
}

/** How to cause an error, as code to copy: on the whole page one is open, that of the code which the address names. */
function MakeThisHappen({ code, isChosen }: { readonly code: string; readonly isChosen: boolean }) {
  const languages = linesFor(code, CONTRACT.makeThisHappen[code] ?? '');
  const [only] = languages;
  const isSimulated = CONTRACT.simulations.includes(code);
  return (
    <details name="sample" open={isChosen} className={css.sample}>
      <summary>Make this happen</summary>
      {languages.length === 1 && only ? (
        <CodeBlock text={only.text} what={only.what} />
      ) : (
        <CodeTabs languages={languages} about={code} />
      )}
      {isSimulated && <HappenNow code={code} />}
    </details>
  );
}

/** The limit of each object, by its name in the session. */
const PORTAL_LIMITS = {
  accountsPerPerson: 'Accounts that you have created, closed ones included',
  projectsPerAccount: 'Projects in an account',
  projectsPerPeriod: 'Projects made in an account in a period of the quota, closed ones included',
  activeKeysPerProject: 'Active keys in a project',
  membersPerAccount: 'People in an account, invited ones included',
  invitationsPerAddress: 'Invitations of one address by one person in a day, withdrawn ones included',
  changesPerMinute: 'Changes a minute of one person',
  readsPerMinute: 'Reads of usage and requests a minute of one person',
  signInsPerMinute: 'Sign-ins a minute of one person',
} as const;

/** The limits of this portal, for who is signed in. */
function PortalLimits() {
  const limits = use(SessionContext)?.limits;
  if (limits === undefined) {
    return (
      <p>
        <a href={signInAddress(location)}>Sign in</a> to see them.
      </p>
    );
  }
  return (
    <List
      label="Limits of the portal"
      items={Object.entries(PORTAL_LIMITS) as [keyof typeof PORTAL_LIMITS, string][]}
      idOf={([name]) => name}
      columns={[
        { heading: 'What', narrow: 'lead', cell: ([, what]) => what },
        { heading: 'At most', narrow: 'end', isNumber: true, cell: ([name]) => formatCount(limits[name]) },
      ]}
    />
  );
}
