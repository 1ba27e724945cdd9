import { CodeBlock } from '../components/code-block.tsx';
import { Prose } from '../components/prose.tsx';
import { CONTRACT } from '../gateway/contract.ts';
import { useGatewayUrl } from './gateway-address.tsx';
import { Answers, answersOf, Members } from './operation-parts.tsx';
import { OperationSection } from './operation-section.tsx';
import css from './docs.module.css';
import { Section } from './section.tsx';

/** Every operation of the gateway, from its contract. */
export function Operations({ anchor }: { readonly anchor: string }) {
  const gatewayUrl = useGatewayUrl();
  return (
    <>
      <nav aria-label="Operations">
        <ul className={css.contents}>
          {CONTRACT.operations.map(({ operationId, method, path, summary }) => (
            <li key={operationId}>
              <a href={`#${operationId}`}>
                <code translate="no">
                  {method} {path}
                </code>
              </a>{' '}
              <span className={css.status}>{summary}</span>
            </li>
          ))}
        </ul>
      </nav>
      <Section id="rules" title="Address and key">
        <CodeBlock text={gatewayUrl} what="the base address" />
        {[`**Authentication.** \`Authorization: Bearer …\` ${CONTRACT.authentication}`, ...CONTRACT.description].map(
          (paragraph) => (
            <p key={paragraph}>
              <Prose of={paragraph} />
            </p>
          ),
        )}
      </Section>
      {CONTRACT.operations.map((operation) => (
        <OperationSection key={operation.operationId} of={operation} isTarget={anchor === operation.operationId} />
      ))}
      <Section id="problem" title="Body of refusals and failures">
        <Members of={CONTRACT.problem} />
        <h3>Of what is no operation</h3>
        <Answers of={answersOf(CONTRACT.unlisted)} />
      </Section>
    </>
  );
}
