import { CodeBlock } from '../components/code-block.tsx';
import { Prose } from '../components/prose.tsx';
import { CONTRACT } from '../gateway/contract.ts';
import { UNKNOWN_GATEWAY } from './samples.ts';
import css from './docs.module.css';
import { Section } from './section.tsx';
import type { Operation, Answer, Body, Member } from '../gateway/types.ts';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { pages } from '../routes.ts';

/** Every operation of the gateway, from its contract. */
export function Operations({ anchor }: { readonly anchor: string }) {
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
        <CodeBlock text={UNKNOWN_GATEWAY} what="the base address" />
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

interface OperationSectionProps {
  readonly of: Operation;
  readonly isTarget: boolean;
}

/** One operation, with all details. */
const OperationSection = ({ of: operation, isTarget }: OperationSectionProps) => {
  const { operationId, method, path, summary, description, scope, parameters, body } = operation;
  const answers = answersOf(operation.answers);
  return (
    <Section
      id={operationId}
      isTarget={isTarget}
      title={
        <code translate="no">
          {method} {path}
        </code>
      }
      aside={<span className={css.status}>{summary}</span>}
    >
      <p>
        {description !== '' && <Prose of={`${description} `} />}
        {scope === undefined ? 'Needs no key.' : <Prose of={`Needs a test key with the scope \`${scope}\`.`} />}
      </p>
      {parameters.length > 0 && (
        <>
          <h3>Request headers</h3>
          <Members of={parameters} />
        </>
      )}
      {body && (
        <>
          <h3>Request body</h3>
          <BodyParts what="a request" of={body} />
        </>
      )}
      <h3>Answers</h3>
      <Answers of={answers} />
      {answers.map(
        ({ status, body: answer }) =>
          answer && (
            <div key={status} className={css.section}>
              <h3>Body of a {status}</h3>
              <BodyParts what="an answer" of={answer} />
            </div>
          ),
      )}
      <h3>Headers of answers</h3>
      <Headers of={answers} />
    </Section>
  );
};

/** Members of a body, or parameters. */
const Members = ({ of: members }: { readonly of: readonly Member[] }) => (
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
const BodyParts = ({ what, of: { description, members, examples } }: BodyPartsProps) => (
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
const Answers = ({ of: answers }: { readonly of: readonly Answer[] }) => (
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
const Headers = ({ of: answers, named = /^/ }: HeadersProps) => {
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
const answersOf = (names: readonly string[]): Answer[] => names.flatMap((name) => CONTRACT.answers[name] ?? []);

interface Term {
  readonly name: ReactNode;
  readonly key: string;
  /** A short description, beside the name. */
  readonly aside?: ReactNode;
  /** Empty: the name is enough. */
  readonly meaning: ReactNode;
}

/** Names with their meanings, below each other. */
const Terms = ({ of: terms }: { readonly of: readonly Term[] }) => (
  <dl className={css.terms}>
    {terms.map(({ key, name, aside, meaning }) => (
      <div key={key}>
        <dt>
          {name} <span className={css.status}>{aside}</span>
        </dt>
        <dd>{meaning}</dd>
      </div>
    ))}
  </dl>
);
