import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { keyQuery, keysQuery, projectQuery } from '../api/queries.ts';
import type { Key } from '../api/schemas.ts';
import { Button } from '../components/button.tsx';
import { Row } from '../components/card.tsx';
import { Crumbs } from '../components/crumbs.tsx';
import { Id } from '../components/id.tsx';
import { Loaded } from '../components/loaded.tsx';
import { MenuButton } from '../components/menu.tsx';
import { Page } from '../components/page.tsx';
import { State } from '../components/state.tsx';
import { useNow } from '../components/use-now.ts';
import { DaysFigure } from '../keys/days-figure.tsx';
import { BudgetNote } from '../keys/budget-note.tsx';
import { sharersOf } from '../keys/cap.ts';
import { actionsOn, entriesOf, isButton } from '../keys/key-actions.ts';
import { KeyDialogs, useAskedKey, type AskedKey } from '../keys/key-dialogs.tsx';
import { KeyFigures } from '../keys/key-figures.tsx';
import { KeyOnceDialog, type NewKey } from '../keys/key-once-dialog.tsx';
import { ShownKey } from '../keys/key-name.tsx';
import { labelOf, nameOf, stateOf } from '../keys/key-view.ts';
import { RotationCard } from '../keys/rotation-card.tsx';
import { isGone, ProjectNotes } from '../projects/project-frame.tsx';
import { latestQuery, RecentRequests } from '../requests/recent-requests.tsx';
import { pages } from '../routes.ts';
import type { ProjectPage } from '../session.ts';
import { mayChange } from '../text/roles.ts';
import { NotFoundPage } from './not-found.tsx';

interface KeyPageProps extends ProjectPage {
  readonly keyId: string;
}

/** A key: its attributes, its figures, its units, its rotation while two keys work, and its latest requests. */
export default function KeyPage({ account, projectId, keyId }: KeyPageProps) {
  const { accountId } = account;
  const ids = { accountId, projectId };
  const nowMs = useNow();
  const query = useQuery(keyQuery(accountId, projectId, keyId));
  const { data: project } = useQuery(projectQuery(accountId, projectId));
  const { data: active = [] } = useQuery(keysQuery(accountId, projectId));
  const latest = useQuery(latestQuery(ids, keyId));
  const [asked, setAsked] = useAskedKey(query.data ? [query.data] : []);
  // Only this state holds a new key, until its dialog closes.
  const [newKey, setNewKey] = useState<NewKey>();
  if (isGone(query)) return <NotFoundPage />;
  const key = query.data;
  const title = key && nameOf(key);
  const keys = pages.keys(accountId, projectId);
  return (
    <Page
      crumbs={
        <Crumbs
          places={[
            [project?.name, keys],
            ['Keys', keys],
          ]}
          here={<bdi>{title ?? '…'}</bdi>}
        />
      }
      title={title}
      tabTitle={key ? `${labelOf(key)} · Keys` : 'Key'}
      aside={key && <State kind={stateOf(key, nowMs)[0]}>{stateOf(key, nowMs)[1]}</State>}
      about={key && <About of={key} />}
      action={key && mayChange(account) && <Actions of={key} onAsk={(about) => setAsked({ about, key })} />}
    >
      {project && <ProjectNotes of={project} />}
      <Loaded query={query} what="the key">
        {(details) => (
          <>
            <KeyFigures of={details} newest={latest.data?.events[0]} sharers={sharersOf(details, active, nowMs)} />
            <BudgetNote {...ids} of={details} active={active} />
            <RotationCard
              {...ids}
              of={details}
              latest={latest.data?.events ?? []}
              onEnd={(old) => setAsked({ about: 'revoke', key: old })}
            />
            <DaysFigure {...ids} of={details} />
            <RecentRequests {...ids} of={details} />
          </>
        )}
      </Loaded>
      <KeyDialogs
        {...ids}
        asked={asked}
        predecessor={active.find(({ replacedBy }) => replacedBy === asked?.key.keyId)}
        onCreated={setNewKey}
        onClose={() => setAsked(undefined)}
      />
      {newKey && <KeyOnceDialog newKey={newKey} onClosed={() => setNewKey(undefined)} />}
    </Page>
  );
}

/** The attributes of a key, except its name. */
const About = ({ of: key }: { readonly of: Key }) => (
  <Row>
    <ShownKey of={key} />
    <Id of={key.keyId} what="key" />
    <span>
      {key.mode === 'test' ? 'Test key' : 'Live key'}, scope <code>{key.scopes.join(' ')}</code>
    </span>
  </Row>
);

interface ActionsProps {
  readonly of: Key;
  readonly onAsk: (about: AskedKey['about']) => void;
}

/** The actions on a key: two as buttons, the others in a menu. */
function Actions({ of: key, onAsk }: ActionsProps) {
  const { change, stop } = actionsOn(key, useNow());
  const groups = [change, stop].map((all) => ({
    entries: entriesOf(
      all.filter((one) => !isButton(one)),
      onAsk,
    ),
  }));
  return (
    <Row>
      {[...change, ...stop].filter(isButton).map(({ about, words, icon }) => (
        <Button key={about} icon={icon} onPress={() => onAsk(about)}>
          {words.replace(' …', '')}
        </Button>
      ))}
      <MenuButton label={`Actions of ${labelOf(key)}`} groups={groups.filter(({ entries }) => entries.length > 0)} />
    </Row>
  );
}
