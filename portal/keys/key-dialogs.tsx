import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { refreshAccounts, type ProjectIds } from '../api/queries.ts';
import type { Key } from '../api/schemas.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { expiryOf, LifetimeChoice } from '../components/lifetime-choice.tsx';
import { RenameForm } from '../components/rename-form.tsx';
import { useDialogChange } from '../components/use-dialog-change.ts';
import { useAsked } from '../components/use-kept.ts';
import { useNow } from '../components/use-now.ts';
import { formatDay } from '../text/format.ts';
import { CapDialog, type KeyDialogProps } from './cap-dialog.tsx';
import { CreateKeyForm } from './create-key-form.tsx';
import { EndDialog } from './end-dialog.tsx';
import type { NewKey } from './key-once-dialog.tsx';
import { KeyName } from './key-name.tsx';
import { inWords, LIFETIMES, nameOf, type Lifetime } from './key-view.ts';
import { LastUse } from './last-use.tsx';
import { useAction } from '../api/use-action.ts';
import { Choice } from '../components/fields.tsx';
import { Id } from '../components/id.tsx';
import { Note } from '../components/note.tsx';
import { Time } from '../components/time.tsx';

const KEY = '/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}';

/** The dialogs about a key. */
export interface AskedKey {
  readonly about: 'rename' | 'cap' | 'share' | 'expiry' | 'pause' | 'rotate' | 'revoke';
  readonly key: Key;
}

interface KeyDialogsProps extends ProjectIds {
  /** Undefined: no dialog is open. */
  readonly asked: AskedKey | undefined;
  /** The predecessor of the key, if the page knows it and it still works. */
  readonly predecessor: Key | undefined;
  /** Called with the key that a dialog made. */
  readonly onCreated: (key: NewKey) => void;
  readonly onClose: () => void;
}

/** The dialog that is asked for. */
export const useAskedKey = (keys: readonly Key[]) =>
  useAsked<AskedKey>(keys.length > 0, (isKept) => {
    const all = keys.flatMap((key) => (['rename', 'cap', 'share'] as const).map((about) => ({ about, key })));
    return all.find(({ about, key }) => isKept(`${about} ${key.keyId}`));
  });

/** The open dialog about a key. */
export function KeyDialogs({ asked, predecessor, onCreated, ...props }: KeyDialogsProps) {
  if (!asked) return null;
  const { about, key: apiKey } = asked;
  const shared = { ...props, apiKey };
  const created = (key: NewKey): void => {
    props.onClose();
    onCreated(key);
  };
  if (about === 'rename') return <RenameKey {...shared} />;
  if (about === 'cap') return <CapDialog {...shared} />;
  if (about === 'share') return <ShareDialog {...shared} onCreated={created} />;
  if (about === 'expiry') return <ExpiryDialog {...shared} />;
  if (about === 'pause') return <PauseDialog {...shared} />;
  if (about === 'revoke') return <EndDialog {...shared} />;
  return <RotateDialog {...shared} predecessor={predecessor} onCreated={created} />;
}

const paramsOf = ({ accountId, projectId, apiKey: { keyId } }: KeyDialogProps) => ({
  path: { accountId, projectId, keyId },
});

/** Renames a key. */
function RenameKey(props: KeyDialogProps) {
  const client = useQueryClient();
  const { apiKey, onClose } = props;
  return (
    <Dialog title={<>Rename {<KeyName of={apiKey} />}</>} onClose={onClose}>
      <DialogBody>
        <RenameForm
          form={`rename ${apiKey.keyId}`}
          name={apiKey.name ?? ''}
          send={(body) => answer(api.PATCH(KEY, { body, params: paramsOf(props) }))}
          onDone={() => refreshAccounts(client)}
          onClose={onClose}
        />
      </DialogBody>
    </Dialog>
  );
}

/** Makes a key that spends from the budget of this one. */
const ShareDialog = ({ apiKey, onClose, ...props }: KeyDialogProps & Pick<KeyDialogsProps, 'onCreated'>) => (
  <Dialog title="New key under this budget" onClose={onClose}>
    <DialogBody>
      <CreateKeyForm {...props} under={apiKey} onCancel={onClose} />
    </DialogBody>
  </Dialog>
);

/** Changes when a key ends, counted from now. */
function ExpiryDialog(props: KeyDialogProps) {
  const { apiKey, onClose } = props;
  const { expiresAt } = apiKey;
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const nowMs = useNow();
  const action = useDialogChange(
    props.onClose,
    (body: { expiresAt: string | null }) => answer(api.PATCH(KEY, { body, params: paramsOf(props) })),
    ({ expiresAt: until }) =>
      `${inWords(apiKey)} ${until === null ? 'never expires now' : `expires on ${formatDay(until, nowMs)} now`}.`,
  );
  return (
    <FormDialog
      title={
        <>
          Expiry of <bdi>{nameOf(apiKey)}</bdi>
        </>
      }
      about={expiresAt === null ? 'It never expires.' : `It expires on ${formatDay(expiresAt, nowMs)}.`}
      onClose={onClose}
      action={action}
      problems={{ expiresAt: null }}
      onSubmit={() => action.run({ expiresAt: expiryOf(lifetime, nowMs) })}
      word="Save"
    >
      <LifetimeChoice
        label="Expires, from now"
        name="expiresAt"
        value={lifetime}
        onChange={setLifetime}
        options={LIFETIMES}
      />
      <p>A key that a rotation makes in its place gets the same time.</p>
    </FormDialog>
  );
}

/** Asks before a key is paused, or a paused one is resumed. */
function PauseDialog(props: KeyDialogProps) {
  const { apiKey, onClose } = props;
  const { paused: isPaused } = apiKey;
  const action = useDialogChange<undefined, unknown>(
    props.onClose,
    () => answer(api.PATCH(KEY, { body: { paused: !isPaused }, params: paramsOf(props) })),
    () =>
      isPaused
        ? `${inWords(apiKey)} works again, from its next request on.`
        : `${inWords(apiKey)} is paused. Its next request is refused.`,
  );
  return (
    <ConfirmDialog
      title={
        <>
          {isPaused ? 'Resume' : 'Pause'} {<KeyName of={apiKey} />}?
        </>
      }
      action={action}
      onConfirm={() => action.run(undefined)}
      onClose={onClose}
      word={isPaused ? 'Resume key' : 'Pause key'}
    >
      <LastUse of={apiKey} />
      {isPaused ? (
        <p>Its next request is accepted, with the limits that it had.</p>
      ) : (
        <p>
          Its next request is refused with <code>API_KEY_PAUSED</code>, until you resume it. Requests under way are
          answered. It expires as before.
        </p>
      )}
    </ConfirmDialog>
  );
}

interface RotateDialogProps extends KeyDialogProps, Pick<KeyDialogsProps, 'predecessor' | 'onCreated'> {}

const HOUR_MS = 3_600_000;
type Grace = '24' | '168' | '0';

/**
 * Replaces a key by a new one. The old key works for a while, or ends at once. At most two keys of a chain work: the
 * key before the old one ends, and the dialog asks for that by name.
 */
function RotateDialog({ predecessor, onCreated, ...props }: RotateDialogProps) {
  const { apiKey, onClose } = props;
  const [grace, setGrace] = useState<Grace>('24');
  const graceEndMs = useNow() + Number(grace) * HOUR_MS;
  const expiresFirst = apiKey.expiresAt !== null && Date.parse(apiKey.expiresAt) < graceEndMs;
  const action = useAction(
    (body: { graceHours: number; ends?: string }, header) =>
      answer(api.POST(`${KEY}/rotate`, { body, params: { ...paramsOf(props), header } })),
    onCreated,
  );
  // The list on the page may be stale: the grace of the other key may have begun after it was read.
  const ends = predecessor?.keyId ?? action.error?.ends;
  return (
    <ConfirmDialog
      title={<>Rotate {<KeyName of={apiKey} />}?</>}
      action={action}
      onConfirm={() => action.run({ graceHours: Number(grace), ...(ends !== undefined && { ends }) })}
      onClose={onClose}
      word={ends === undefined ? 'Rotate key' : 'Rotate and end the older key'}
      isDanger={ends !== undefined}
      isFailureHidden={action.error?.ends !== undefined}
    >
      <LastUse of={apiKey} />
      <p>You get a new key, which you see once. Replace the old one with it before the old one ends.</p>
      <Choice<Grace>
        label="The old key still works"
        name="graceHours"
        value={grace}
        onChange={setGrace}
        options={[
          ['24', 'for 24 hours'],
          ['168', 'for 7 days'],
          ['0', 'not at all:', 'its next request is refused'],
        ]}
        {...(expiresFirst && {
          hint: (
            <>
              It expires before that, on <Time of={apiKey.expiresAt ?? ''} as="minute" />.
            </>
          ),
        })}
      />
      {ends !== undefined && (
        <Note kind="warn">
          <p>The key that this one replaced still works. Rotating ends it at once.</p>
          {predecessor ? <LastUse of={predecessor} /> : <Id of={ends} what="key" />}
          <p>Who still uses that one is refused from then on.</p>
        </Note>
      )}
    </ConfirmDialog>
  );
}
