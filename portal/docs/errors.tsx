import { Muted } from '../components/card.tsx';
import { Prose } from '../components/prose.tsx';
import { ERRORS } from '../gateway/errors.ts';
import { useGatewayUrl } from './gateway-address.tsx';
import { MakeThisHappen } from './make-this-happen.tsx';
import css from './docs.module.css';
import { Section } from './section.tsx';

/** Every code of the gateway, each with its own address. */
export function Errors({ anchor }: { readonly anchor: string }) {
  const gatewayUrl = useGatewayUrl();
  return ERRORS.map(({ code, status, title, detail, meaning, todo }) => (
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
  ));
}
