import { useQuery } from '@tanstack/react-query';
import { projectQuery, type ProjectIds } from '../api/queries.ts';
import { TextField } from '../components/fields.tsx';
import { Note } from '../components/note.tsx';
import { formatCount } from '../text/format.ts';
import { boundsOf } from '../text/quota.ts';
import { useState } from 'react';

interface UnitsLimitFieldProps extends ProjectIds {
  readonly value: string;
  /** The units that are counted under the present cap. Null: there is no cap. */
  readonly used?: number | null | undefined;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
  /** Asks whether a cap of 0 is meant. */
  readonly isAsking: boolean;
}

/** The field for a key's cap, beside the quota of its project. */
export function UnitsLimitField({ accountId, projectId, used = null, isAsking, ...field }: UnitsLimitFieldProps) {
  const { data: project } = useQuery(projectQuery(accountId, projectId));
  const isDay = project !== undefined && boundsOf(project.period).isDay;
  const quota = project?.quotaLimit ?? null;
  const ofProject = quota === null ? '' : `Of the project's ${formatCount(quota)}. `;
  const isUsedUp = used !== null && used >= (readUnitsLimit(field.value) ?? Infinity);
  const soFar = used === null ? '' : `${formatCount(used)} used${isUsedUp ? ': the next requests are refused' : ''}. `;
  return (
    <>
      <TextField
        label={`Units a ${isDay ? 'day' : 'month'}, at most`}
        name="unitsLimit"
        inputMode="numeric"
        hint={`${soFar}${ofProject}Leave it empty for no cap.`}
        {...field}
      />
      {isAsking && (
        <Note kind="warn" isAlert>
          With a cap of 0 every request of the key is refused. Press again if you mean that.
        </Note>
      )}
    </>
  );
}

/** In the form of the API. */
const MAX_UNITS = 1_000_000_000;

/** The limit in a field. Null: it is empty. Undefined: it is not valid. Separators of thousands are allowed. */
export function readUnitsLimit(text: string): number | null | undefined {
  const plain = text.trim().replaceAll(/[\s,]/g, '');
  if (plain === '') return null;
  return /^\d{1,10}$/.test(plain) && Number(plain) <= MAX_UNITS ? Number(plain) : undefined;
}

/** The error of a limit's text. Null: none. */
export const unitsLimitProblem = (text: string): string | null =>
  readUnitsLimit(text) === undefined
    ? `Give a whole number up to ${formatCount(MAX_UNITS)}, or leave it empty for no cap.`
    : null;

/** A cap of 0 refuses every request of the key, so it is asked for once more. */
export function useCapOfNothing(text: string) {
  const [asked, setAsked] = useState<string>();
  const isAsking = asked === text;
  return {
    isAsking,
    /** Whether this press only asks. */
    asks: (): boolean => {
      if (readUnitsLimit(text) !== 0 || isAsking) return false;
      setAsked(text);
      return true;
    },
  };
}
