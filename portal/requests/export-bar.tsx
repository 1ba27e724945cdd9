import { Button } from '../components/button.tsx';
import { Note } from '../components/note.tsx';
import { counted, formatCount } from '../text/format.ts';
import { MAX_ROWS } from './export.ts';
import type { CsvExport } from './use-export.ts';

interface ExportBarProps {
  readonly of: CsvExport;
  /** The name of a row. */
  readonly what: 'request' | 'change';
}

/** The progress of an export with a button to stop it, or its result. Nothing before an export was begun. */
export function ExportBar({ of: { progress, isRunning, error, resume, cancel }, what }: ExportBarProps) {
  if (!progress) return null;
  const rows = counted(progress.rows, what);
  if (error) {
    return (
      <Note
        kind="bad"
        isAlert
        action={
          <>
            <Button onPress={resume}>Go on</Button>
            <Button onPress={cancel}>Cancel</Button>
          </>
        }
      >
        <b>The export stopped after {rows}.</b> {error.message} It continues where it stopped.
      </Note>
    );
  }
  if (isRunning) {
    return (
      <Note action={<Button onPress={cancel}>Cancel the export</Button>}>
        <span role="status">
          {progress.isWaiting ? `Exporting: ${rows} so far. Waiting for the portal …` : `Exporting: ${rows} so far …`}
        </span>
      </Note>
    );
  }
  return (
    <Note kind={progress.isCapped ? 'warn' : 'info'} action={<Button onPress={cancel}>Done</Button>}>
      <span role="status">
        {progress.isCapped
          ? `Exported the newest ${formatCount(progress.rows)}. A file takes some ${formatCount(MAX_ROWS)}. Choose a shorter time for the others.`
          : `Exported ${rows}.`}
      </span>
    </Note>
  );
}
