import { Muted } from '../components/card.tsx';
import { Prose } from '../components/prose.tsx';
import { ERRORS } from '../gateway/errors.ts';
import { useGatewayUrl } from './gateway-address.tsx';
import css from './docs.module.css';
import { Section } from './section.tsx';
import { CodeBlock } from '../components/code-block.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { CONTRACT } from '../gateway/contract.ts';
import { HappenNow } from '../try-it/happen-now.tsx';
import { linesFor, UNKNOWN_GATEWAY } from './samples.ts';

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

interface MakeThisHappenProps {
  readonly code: string;
  readonly gatewayUrl: string;
}

/** How to cause an error, as code to copy. */
function MakeThisHappen({ code, gatewayUrl }: MakeThisHappenProps) {
  const languages = linesFor(code, (CONTRACT.makeThisHappen[code] ?? '').replaceAll(UNKNOWN_GATEWAY, gatewayUrl));
  const [only] = languages;
  const isSimulated = CONTRACT.simulations.includes(code);
  return (
    <>
      <p>
        <b>Make this happen:</b>
      </p>
      {languages.length === 1 && only ? (
        <CodeBlock text={only.text} what={only.what} gatewayUrl={gatewayUrl} />
      ) : (
        <CodeTabs languages={languages} about={code} gatewayUrl={gatewayUrl} />
      )}
      {isSimulated && <HappenNow code={code} />}
    </>
  );
}
