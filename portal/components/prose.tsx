import { WithSupport } from './support.tsx';

const MARKED = /(`[^`]+`|\*\*[^*]+\*\*)/;

/** A text of the gateway's contract. Code and bold type are rendered, the rest is plain. */
export const Prose = ({ of: text }: { readonly of: string }) =>
  text.split(MARKED).map((part, index) => {
    // Every second part is marked.
    if (index % 2 === 0) return <WithSupport key={index} text={part} />;
    return part.startsWith('`') ? <code key={index}>{part.slice(1, -1)}</code> : <b key={index}>{part.slice(2, -2)}</b>;
  });
