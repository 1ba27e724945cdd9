import { Prose } from '../components/prose.tsx';
import type { Operation } from '../gateway/types.ts';
import css from './docs.module.css';
import { Answers, answersOf, BodyParts, Headers, Members } from './operation-parts.tsx';
import { Section } from './section.tsx';

interface OperationSectionProps {
  readonly of: Operation;
  readonly isTarget: boolean;
}

/** One operation, with all details. */
export const OperationSection = ({ of: operation, isTarget }: OperationSectionProps) => {
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
