import { Fragment } from 'react';
import { Link } from 'wouter';
import { CodeBlock } from '../components/code-block.tsx';
import { Prose } from '../components/prose.tsx';
import { CONTRACT } from '../gateway/contract.ts';
import type { Answer, Body, Member } from '../gateway/types.ts';
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
  /** The name of the examples: `a request`. */
  readonly what: string;
  readonly of: Body;
}

/** A body: its description, its members, and examples. */
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

/** The answers of an operation: each status and the codes of refusals. */
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

/** Codes, each with a link to its meaning. */
const Codes = ({ of: codes }: { readonly of: readonly string[] }) => (
  <span className={css.codes}>
    {codes.map((code) => (
      <Link key={code} href={pages.error(code)}>
        <code translate="no">{code}</code>
      </Link>
    ))}
  </span>
);

interface HeadersProps {
  readonly of: readonly Answer[];
  /** The names of the headers. Default: all. */
  readonly named?: RegExp;
}

/** Headers of answers, below the statuses of those that may have them. */
export const Headers = ({ of: answers, named = /^/ }: HeadersProps) => {
  const names = new Set(answers.flatMap(({ headers }) => Object.keys(headers)).filter((name) => named.test(name)));
  const statusesOf = (name: string): string =>
    answers.flatMap(({ status, headers }) => (name in headers ? [status] : [])).join(', ');
  return [...Map.groupBy(names, statusesOf)].map(([statuses, alike]) => (
    <Fragment key={statuses}>
      <div className={css.status}>With {statuses}:</div>
      <Terms
        of={alike.map((name) => ({
          key: name,
          name: <code translate="no">{name}</code>,
          meaning: <Prose of={answers.find(({ headers }) => name in headers)?.headers[name] ?? ''} />,
        }))}
      />
    </Fragment>
  ));
};

/** The answers of these names in the contract. */
export const answersOf = (names: readonly string[]): Answer[] => names.flatMap((name) => CONTRACT.answers[name] ?? []);
