import { Link } from 'wouter';
import { CodeBlock } from '../components/code-block.tsx';
import { Prose } from '../components/prose.tsx';
import type { Answer, AnswerHeader, Body, Member } from '../gateway/types.ts';
import { pages } from '../routes.ts';
import css from './docs.module.css';
import { Terms } from './terms.tsx';

/** Members of a body, or parameters. */
export const Members = ({ of: members }: { readonly of: readonly Member[] }) => (
  <Terms
    of={members.map(({ name, type, isRequired, description }) => ({
      key: name,
      name: <code translate="no">{name}</code>,
      aside: isRequired ? type : `${type}; optional`,
      meaning: <Prose of={description} />,
    }))}
  />
);

interface BodyPartsProps {
  /** What the examples are: `a request`. */
  readonly what: string;
  readonly of: Body;
}

/** A body: what is said of it, its members, and examples. */
export const BodyParts = ({ what, of: { description, members, examples } }: BodyPartsProps) => (
  <>
    {description !== '' && (
      <p>
        <Prose of={description} />
      </p>
    )}
    <Members of={members} />
    {examples.map(({ summary, text }) => (
      <CodeBlock key={summary} text={text} what={`${what}: ${summary}`} />
    ))}
  </>
);

/** What an operation answers with: each status and the codes of refusals. */
export const Answers = ({ of: answers }: { readonly of: readonly Answer[] }) => (
  <Terms
    of={answers.map(({ status, description, codes = [] }) => ({
      key: String(status),
      name: status,
      aside: <Codes of={codes} />,
      meaning: <Prose of={description} />,
    }))}
  />
);

/** Codes, each leading to what it means. */
const Codes = ({ of: codes }: { readonly of: readonly string[] }) => (
  <span className={css.codes}>
    {codes.map((code) => (
      <Link key={code} href={pages.error(code)}>
        <code translate="no">{code}</code>
      </Link>
    ))}
  </span>
);

/** Headers of answers, with the statuses of those that may have them. */
export const Headers = ({ of: headers }: { readonly of: readonly AnswerHeader[] }) => (
  <Terms
    of={headers.map(({ name, description, statuses }) => ({
      key: name,
      name: <code translate="no">{name}</code>,
      aside: `with ${statuses.join(', ')}`,
      meaning: <Prose of={description} />,
    }))}
  />
);
