import { useQuery } from '@tanstack/react-query';
import { projectQuery } from '../api/queries.ts';
import { TextField } from '../components/fields.tsx';
import { Note } from '../components/note.tsx';
import { formatCount } from '../text/format.ts';
import { boundsOf } from '../text/quota.ts';
import { readUnitsLimit } from './units-limit.ts';

interface UnitsLimitFieldProps {
  readonly accountId: string;
  readonly projectId: string;
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
