import { Muted } from '../components/card.tsx';
import { Prose } from '../components/prose.tsx';
import { ERRORS } from '../gateway/errors.ts';
import { DocsFrame } from './docs-frame.tsx';
import css from './docs.module.css';
import { Section } from './section.tsx';
import { useAnchor } from './use-anchor.ts';

/** Every code of the gateway, each with an address of its own. */
export function Errors() {
  const anchor = useAnchor();
  return (
    <DocsFrame
      tab="Errors"
      about="Every refusal and failure of the gateway has a code: let programs go by it. The text beside it is for people, and may change."
    >
      {ERRORS.map(({ code, status, title, detail, meaning, todo }) => (
        <Section
          key={code}
          id={code}
          title={<code translate="no">{code}</code>}
          aside={
            <span className={css.status}>
              {status} {title}
            </span>
          }
          isTarget={anchor === code}
        >
          <p>
            {meaning} <Prose of={todo} />
          </p>
          <p>
            <Muted>
              Its <code>detail</code>: {detail}
            </Muted>
          </p>
        </Section>
      ))}
    </DocsFrame>
  );
}
