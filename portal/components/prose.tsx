const MARKED = /(`[^`]+`|\*\*[^*]+\*\*)/;

/** A text of the gateway's contract: code and bold type are shown as such, the rest as it stands. */
export const Prose = ({ of: text }: { readonly of: string }) =>
  text.split(MARKED).map((part, index) => {
    // Every second part is a marked one.
    if (index % 2 === 0) return part;
    return part.startsWith('`') ? <code key={index}>{part.slice(1, -1)}</code> : <b key={index}>{part.slice(2, -2)}</b>;
  });
