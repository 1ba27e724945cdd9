import { CODE } from '../gateway/code.ts';
import type { CodePart } from '../gateway/types.ts';
import { UNKNOWN_GATEWAY, UNKNOWN_PORTAL } from '../docs/samples.ts';
import { useGatewayUrl } from '../session.ts';
import css from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly text: string;
  /** Its parts in their colours, where {@link CODE} does not have it. */
  readonly parts?: readonly CodePart[];
  /** The name of the code: `the curl command`. */
  readonly what: string;
}

/**
 * Code has placeholders for the addresses of gateway and portal until it is shown or copied: it is known by its text.
 * That of the gateway stays where nobody is signed in.
 */
export function useReal(): (text: string) => string {
  const gatewayUrl = useGatewayUrl() ?? UNKNOWN_GATEWAY;
  return (text) => text.replaceAll(UNKNOWN_GATEWAY, gatewayUrl).replaceAll(UNKNOWN_PORTAL, location.origin);
}

/** Code to copy, with its name. */
export const CodeBlock = ({ what, ...code }: CodeBlockProps) => (
  <div className={css.block}>
    <div className={css.bar}>
      <span className={css.what}>{what.replace(/^(the|an?) /, '').replace(/^./, (first) => first.toUpperCase())}</span>
      <CopyButton text={useReal()(code.text)} what={what} isBare />
    </div>
    <Code what={what} {...code} />
  </div>
);

/**
 * Code, with the colours that the build of the app computed. Long lines scroll, also by keyboard, since some languages
 * do not allow a line break.
 */
export function Code({ text, parts = CODE.get(text) ?? [text], what }: CodeBlockProps) {
  const real = useReal();
  return (
    <pre className={css.text} translate="no" tabIndex={0} role="group" aria-label={what}>
      {parts.map((part, index) =>
        typeof part === 'string' ? (
          real(part)
        ) : (
          <span key={index} className={css[part[0]]}>
            {real(part[1])}
          </span>
        ),
      )}
    </pre>
  );
}
