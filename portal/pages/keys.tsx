import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { keysQuery } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Steps } from '../components/steps.tsx';
import { CreateKeyForm } from '../keys/create-key-form.tsx';
import { KeyList } from '../keys/key-list.tsx';
import { KeyOnceDialog, type NewKey } from '../keys/key-once-dialog.tsx';
import { ProjectFrame } from '../projects/project-frame.tsx';
import { RecentRequests } from '../requests/recent-requests.tsx';
import { useSession, type ProjectPage } from '../session.ts';

/** The keys of a project, and its latest requests. */
export default function KeysPage({ account, projectId }: ProjectPage) {
  const { accountId } = account;
  const { gatewayUrl } = useSession();
  const query = useQuery(keysQuery(accountId, projectId));
  const [isCreating, setCreating] = useState(false);
  // The one place that holds a new key, until its dialog closes.
  const [newKey, setNewKey] = useState<NewKey>();
  const hasKeys = query.data !== undefined && query.data.length > 0;
  const show = (created: NewKey): void => {
    setCreating(false);
    setNewKey(created);
  };
  const action = hasKeys && (
    <Button kind="primary" onPress={() => setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <ProjectFrame account={account} projectId={projectId} tab="Keys" action={action}>
      {() => (
        <>
          <Loaded query={query} what="the keys">
            {(keys) =>
              keys.length === 0 ? (
                <>
                  <Steps at={3} />
                  <Card title="Create a key">
                    <p>A test key, for the sandbox. It is shown once, with a command to try it.</p>
                    <CreateKeyForm {...{ accountId, projectId }} offered="First key" onCreated={show} />
                  </Card>
                </>
              ) : (
                <Card isFlush>
                  <KeyList {...{ accountId, projectId, keys }} onCreated={show} />
                </Card>
              )
            }
          </Loaded>
          {hasKeys && <RecentRequests {...{ accountId, projectId, keys: query.data }} />}
          {isCreating && (
            <Dialog title="Create key" about="A test key, for the sandbox." onClose={() => setCreating(false)}>
              <DialogBody>
                <CreateKeyForm {...{ accountId, projectId }} onCreated={show} onCancel={() => setCreating(false)} />
              </DialogBody>
            </Dialog>
          )}
          {newKey && (
            <KeyOnceDialog
              newKey={newKey}
              gatewayUrl={gatewayUrl}
              accountId={accountId}
              onClosed={() => setNewKey(undefined)}
            />
          )}
        </>
      )}
    </ProjectFrame>
  );
}
