import { useState } from 'react';
import { KeyRound, Plus } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import { keyPageQuery } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { Loaded, Waiting } from '../components/loaded.tsx';
import { Steps } from '../components/steps.tsx';
import { useIsKept } from '../components/use-kept.ts';
import { CreateKeyForm } from '../keys/create-key-form.tsx';
import { KeyPages } from '../keys/key-pages.tsx';
import { KeyOnceDialog, type NewKey } from '../keys/key-once-dialog.tsx';
import { useKnownKeys } from '../keys/use-known-keys.ts';
import { ProjectFrame } from '../projects/project-frame.tsx';
import type { ProjectPage } from '../session.ts';
import { mayChange } from '../text/roles.ts';

/** The keys of a project, or the form of the first one. */
export default function KeysPage({ account, projectId }: ProjectPage) {
  const { accountId } = account;
  const ids = { accountId, projectId };
  const isEnded = new URLSearchParams(useSearch()).get('state') === 'ended';
  const query = useQuery(keyPageQuery(accountId, projectId, 'active'));
  const { keys, isReading } = useKnownKeys(accountId, projectId);
  const [isCreating, setCreating] = useState(useIsKept()('new key'));
  // Only this state holds a new key, until its dialog closes.
  const [newKey, setNewKey] = useState<NewKey>();
  // The last key is in neither list for a moment, while it moves to those that ended.
  const [hadKeys, setHadKeys] = useState(false);
  const hasKeys = hadKeys || keys.length > 0;
  if (hasKeys && !hadKeys) setHadKeys(true);
  const [wasFirst, setFirst] = useState(false);
  const show = (created: NewKey): void => {
    setFirst(!hasKeys);
    setCreating(false);
    setNewKey(created);
  };
  const action = hasKeys && mayChange(account) && (
    // It comes in place of the first key's form, which had the focus.
    <Button kind="primary" icon={Plus} autoFocus={wasFirst} onPress={() => setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <ProjectFrame account={account} projectId={projectId} tab="Keys" action={action}>
      {({ period }) => (
        <>
          <Loaded query={query} what="the keys">
            {() =>
              !hasKeys && isReading ? (
                <Waiting what="the keys" />
              ) : !hasKeys && !mayChange(account) ? (
                <Card>
                  <Empty icon={KeyRound} title="No key yet.">
                    You see keys here when a member has made one. Viewers make none.
                  </Empty>
                </Card>
              ) : !hasKeys ? (
                <>
                  <Steps at={3} />
                  <Card title="Create a key">
                    <p>A test key, for the sandbox. You see it once, with a command to try it.</p>
                    <CreateKeyForm {...ids} offered="First key" onCreated={show} />
                  </Card>
                </>
              ) : (
                <KeyPages
                  key={String(isEnded)}
                  {...ids}
                  period={period}
                  state={isEnded ? 'ended' : 'active'}
                  onCreated={show}
                />
              )
            }
          </Loaded>
          {isCreating && (
            <Dialog title="Create a key" about="A test key, for the sandbox." onClose={() => setCreating(false)}>
              <DialogBody>
                <CreateKeyForm {...ids} onCreated={show} onCancel={() => setCreating(false)} />
              </DialogBody>
            </Dialog>
          )}
          {newKey && <KeyOnceDialog newKey={newKey} onClosed={() => setNewKey(undefined)} />}
        </>
      )}
    </ProjectFrame>
  );
}
