import css from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly text: string;
  /** What it is: `the curl command`. */
  readonly what: string;
}

/** Code to copy. Long lines scroll, by keyboard too, so that none is broken where the language would mind. */
export const CodeBlock = ({ text, what }: CodeBlockProps) => (
  <div className={css.block}>
    <pre className={css.text} translate="no" tabIndex={0} role="group" aria-label={what}>
      {text}
    </pre>
    <CopyButton text={text} what={what} />
  </div>
);
