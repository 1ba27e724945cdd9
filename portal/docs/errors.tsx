import { Link } from 'wouter';
import { Muted } from '../components/card.tsx';
import { Prose } from '../components/prose.tsx';
import { ERRORS } from '../gateway/errors.ts';
import { AddressNote, useGatewayUrl } from './gateway-address.tsx';
import { MakeThisHappen } from './make-this-happen.tsx';
import { DocsFrame } from './docs-frame.tsx';
import { pages } from '../routes.ts';
import css from './docs.module.css';
import { Section } from './section.tsx';
import { useAnchor } from './use-anchor.ts';

/** Every code of the gateway, each with its own address. */
export function Errors() {
  const anchor = useAnchor();
  const gatewayUrl = useGatewayUrl();
  return (
    <DocsFrame
      title="Errors"
      about="Every refusal has a code. Programs go by the code; the text beside it is for people and may change."
    >
      <AddressNote />
      <p>
        See each of them before it happens to you. Put <code>simulate</code> with its code in the body of a request. The
        answer is that error, and nothing is executed or charged: see{' '}
        <Link href={`${pages.limits}#simulations`}>Simulations</Link>.
      </p>
      {ERRORS.map(({ code, status, title, detail, meaning, todo }) => (
        <Section
          key={code}
          id={code}
          title={<code translate="no">{code}</code>}
          aside={
            <>
              <span className={css.tag}>{status}</span>
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
          <MakeThisHappen code={code} gatewayUrl={gatewayUrl} />
        </Section>
      ))}
    </DocsFrame>
  );
}
