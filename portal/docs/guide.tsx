import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CodeBlock } from '../components/code-block.tsx';
import { List } from '../components/list.tsx';
import { Page } from '../components/page.tsx';
import type { Block, Guide, Inline } from '../gateway/types.ts';
import css from './docs.module.css';
import { Errors } from './errors.tsx';
import { AddressNote, useGatewayUrl } from './gateway-address.tsx';
import { InstallPython, InstallTypescript } from './install.tsx';
import { PortalLimits } from './portal-limits.tsx';
import { Operations } from './reference.tsx';
import { UNKNOWN_GATEWAY, UNKNOWN_PORTAL } from './samples.ts';
import { Section } from './section.tsx';
import { useAnchor } from './use-anchor.ts';

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
export function GuidePage({ guide: { title, about, hasAddress, sections } }: { readonly guide: Guide }) {
  const anchor = useAnchor();
  return (
    <Page title={title} about={<Line of={about} />}>
      <div className={css.text}>
        {hasAddress && <AddressNote />}
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
  const gatewayUrl = useGatewayUrl();
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
    case 'code': {
      const { what, text, parts } = block;
      const real = text.replaceAll(UNKNOWN_GATEWAY, gatewayUrl).replaceAll(UNKNOWN_PORTAL, location.origin);
      return <CodeBlock what={what} parts={parts} gatewayUrl={gatewayUrl} text={real} />;
    }
    case 'slot': {
      const Slot = SLOTS[block.name];
      return Slot && <Slot anchor={anchor} />;
    }
  }
}

/** Text with code, bold and slanted type, and links. */
const Line = ({ of: content }: { readonly of: readonly Inline[] }) =>
  content.map((part, index) => {
    if (typeof part === 'string') return part;
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
