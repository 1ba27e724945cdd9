import { useEffect, useState, type ReactNode } from 'react';
import { Ban, KeyRound, Pencil, Plus, RefreshCw, Unplug } from 'lucide-react';
import { useToast } from '../components/announcer.tsx';
import { Avatar, Mark, Tile } from '../components/brand.tsx';
import { Button, ButtonLink, IconButton } from '../components/button.tsx';
import { Card, Cards, Facts, Row, Stack } from '../components/card.tsx';
import { CodeTabs, pingIn } from '../components/code-tabs.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Drawer } from '../components/dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { Choice, TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { Id } from '../components/id.tsx';
import { List } from '../components/list.tsx';
import { Waiting } from '../components/loaded.tsx';
import { MenuButton } from '../components/menu.tsx';
import { Pace, QuotaMeter } from '../components/meter.tsx';
import { Note } from '../components/note.tsx';
import { Segments } from '../components/segments.tsx';
import { Select } from '../components/select.tsx';
import { State } from '../components/state.tsx';
import { Steps } from '../components/steps.tsx';
import { Tabs } from '../components/tabs.tsx';
import { Toggle } from '../components/toggle.tsx';
import { UNKNOWN_GATEWAY } from '../docs/samples.ts';
import { Outcome } from '../requests/outcome.tsx';
import { CHARTED } from '../requests/outcomes.ts';

const HERE = '/components';
const KINDS = ['good', 'warn', 'bad', 'over', 'wait'] as const;
const NOTHING = () => undefined;
const IDLE = { isPending: false, error: undefined };
const quotaOf = (quotaUsed: number) => ({
  ...{ quotaLimit: 10_000, quotaUsed, period: new Date().toISOString().slice(0, 7) },
  createdAt: '2026-01-01T00:00:00Z',
});
const MENU = [
  {
    entries: [
      { id: 'rename', words: 'Rename', icon: Pencil, onAction: NOTHING },
      { id: 'rotate', words: 'Rotate …', icon: RefreshCw, onAction: NOTHING },
    ],
  },
  { entries: [{ id: 'revoke', words: 'Revoke …', icon: Ban, isDanger: true, onAction: NOTHING }] },
];

/** Every component in every state, in both schemes, for developers. It is in no deployed portal. */
export default function ComponentsPage() {
  useEffect(() => {
    document.title = 'Components · Developer portal';
  }, []);
  return (
    <main>
      <h1>Components</h1>
      {(['light', 'dark'] as const).map((colorScheme) => (
        <div key={colorScheme} style={{ colorScheme, background: 'var(--bg)', color: 'var(--text)' }}>
          <Cards>
            <Samples scheme={colorScheme} />
          </Cards>
        </div>
      ))}
    </main>
  );
}

function Samples({ scheme }: { readonly scheme: string }) {
  const tell = useToast();
  const [name, setName] = useState('');
  const [isOn, setOn] = useState(true);
  const [days, setDays] = useState('90');
  const [open, setOpen] = useState<'dialog' | 'drawer'>();
  const close = (): void => setOpen(undefined);
  const card = (title: string, children: ReactNode, isFlush = false) => (
    <Card title={`${title}, ${scheme}`} isFlush={isFlush}>
      {children}
    </Card>
  );
  const kinds = ['primary', undefined, 'danger', 'quiet'] as const;
  return (
    <>
      {card(
        'Buttons',
        [false, true].map((isPending) => (
          <Row key={String(isPending)}>
            {kinds.map((kind) => (
              <Button key={kind ?? 'plain'} kind={kind} icon={Plus} isPending={isPending}>
                {kind ?? 'plain'}
              </Button>
            ))}
            <Button isDisabled>disabled</Button>
            <IconButton icon={Plus} aria-label="Add" />
            <ButtonLink href={HERE}>link</ButtonLink>
          </Row>
        )),
      )}
      {card(
        'Fields',
        <Form action={IDLE} problems={{ [`${scheme}-name`]: name === '' ? 'Enter a name.' : null }} onSubmit={NOTHING}>
          <TextField label="Name" name={`${scheme}-name`} value={name} onChange={setName} hint="What it is called." />
          <Choice
            label="Days"
            name={`${scheme}-days`}
            value={days}
            onChange={setDays}
            options={[
              ['30', '30'],
              ['90', '90'],
            ]}
            isInLine
          />
          <Choice
            label="Ends"
            name={`${scheme}-ends`}
            value={days}
            onChange={setDays}
            options={[
              ['30', 'soon', 'in 30 days'],
              ['90', 'later'],
            ]}
          />
          <Select
            label="Key"
            value={days}
            onChange={setDays}
            options={[
              ['30', 'CI'],
              ['90', 'Laptop'],
            ]}
          />
          <Toggle isOn={isOn} onChange={setOn}>
            Live
          </Toggle>
          <Submit kind="primary" isPending={false}>
            Save
          </Submit>
        </Form>,
      )}
      {card(
        'Where one is',
        <>
          <Tabs
            label={`Tabs, ${scheme}`}
            tabs={[
              ['Keys', HERE],
              ['Usage', `${HERE}?usage`],
            ]}
            current="Keys"
          />
          <Segments
            label={`Segments, ${scheme}`}
            segments={[
              ['a', 'Active', HERE],
              ['e', 'Ended', HERE],
            ]}
            value="a"
          />
          <Steps at={2} />
          <Row>
            <Mark />
            <Tile of="Riverside" />
            <Avatar of="robin" />
            <Avatar of="noor" isWaiting />
            <Id of="DIZJWGFQWSx8" what="project" />
          </Row>
        </>,
      )}
      {card(
        'States and outcomes',
        <>
          <Row>
            {KINDS.map((kind) => (
              <State key={kind} kind={kind}>
                {kind}
              </State>
            ))}
          </Row>
          {CHARTED.map(({ event }) => (
            <Outcome
              key={event}
              of={
                { event, code: null, ...(event === 'simulated' && { simulated: true }) } as Parameters<
                  typeof Outcome
                >[0]['of']
              }
            />
          ))}
          {[400, 8_500, 10_000].map((used) => (
            <Stack key={used}>
              <QuotaMeter quota={quotaOf(used)} isMain={used === 400} />
              <Pace of={quotaOf(used)} />
            </Stack>
          ))}
          <Facts
            facts={[
              ['Received', '14:03:12'],
              ['Units', 0],
            ]}
          />
        </>,
      )}
      {card(
        'List',
        <List
          label={`List, ${scheme}`}
          items={['CI', 'Laptop']}
          idOf={(item) => item}
          isOver={(item) => item === 'Laptop'}
          columns={[
            { heading: 'Name', narrow: 'lead', cell: (item) => item },
            { heading: 'Units', isNumber: true, narrow: 'end', cell: () => '655' },
            {
              heading: 'Menu',
              isActions: true,
              cell: (item) => <MenuButton label={`Actions of ${item}`} groups={MENU} />,
            },
          ]}
        />,
        true,
      )}
      {card(
        'To know',
        <>
          <Note>Something to know.</Note>
          <Note kind="warn">Something soon.</Note>
          <Note kind="bad" action={<Button>What to do</Button>}>
            Something wrong.
          </Note>
          <Waiting what="the samples" />
        </>,
      )}
      {card(
        'Empty',
        <Empty icon={KeyRound} title="No keys yet" action={<Button kind="primary">Create key</Button>}>
          A key lets your server call.
        </Empty>,
      )}
      {card(
        'Failed',
        <Empty icon={Unplug} title="Could not read the keys." action={<Button>Try again</Button>}>
          Nothing is lost.
        </Empty>,
      )}
      {card('Code', <CodeTabs languages={pingIn(UNKNOWN_GATEWAY)} gatewayUrl={UNKNOWN_GATEWAY} />)}
      {card(
        'Over the page',
        <Row>
          <Button onPress={() => setOpen('dialog')}>Dialog</Button>
          <Button onPress={() => setOpen('drawer')}>Drawer</Button>
          <Button onPress={() => tell('The name is Trip planner now.')}>Toast</Button>
        </Row>,
      )}
      {open === 'dialog' && (
        <ConfirmDialog
          title="Revoke Staging?"
          action={IDLE}
          onConfirm={close}
          onClose={close}
          word="Revoke key"
          isDanger
        >
          <p>Its next request is refused.</p>
        </ConfirmDialog>
      )}
      {open === 'drawer' && (
        <Drawer title="Request" onClose={close}>
          <p>One request, whole.</p>
        </Drawer>
      )}
    </>
  );
}
