import { useEffect, useState, type ReactNode } from 'react';
import { KeyRound, Plus, Unplug } from 'lucide-react';
import { Avatar, Mark, Tile } from '../components/brand.tsx';
import { Button, ButtonLink, IconButton } from '../components/button.tsx';
import { Card, Cards, Facts, Row, Stack } from '../components/card.tsx';
import { CodeTabs, pingIn } from '../components/code-tabs.tsx';
import { Crumbs } from '../components/crumbs.tsx';
import { Empty } from '../components/empty.tsx';
import { Choice, TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { Id } from '../components/id.tsx';
import { List } from '../components/list.tsx';
import { Waiting } from '../components/loaded.tsx';
import { MenuButton } from '../components/menu.tsx';
import { Meter, Pace, QuotaMeter } from '../components/meter.tsx';
import { Note } from '../components/note.tsx';
import { Segments } from '../components/segments.tsx';
import { Select } from '../components/select.tsx';
import { State } from '../components/state.tsx';
import { Steps } from '../components/steps.tsx';
import { Tabs } from '../components/tabs.tsx';
import { Toggle } from '../components/toggle.tsx';
import { CapMeter } from '../keys/cap-meter.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { UNKNOWN_GATEWAY } from '../docs/samples.ts';
import { Outcome } from '../requests/outcome.tsx';
import { CHARTED } from '../requests/outcomes.ts';
import { MENU, Overlays } from './component-overlays.tsx';

const HERE = '/components';
const KINDS = ['good', 'warn', 'bad', 'over', 'wait'] as const;
const NOTHING = () => undefined;
const IDLE = { isPending: false, error: undefined };
const quotaOf = (quotaUsed: number) => ({
  ...{ quotaLimit: 10_000, quotaUsed, period: new Date().toISOString().slice(0, 7) },
  createdAt: '2026-01-01T00:00:00Z',
});

/** Every component in every state, in both schemes, for developers. It is in no deployed portal. */
export default function ComponentsPage() {
  useEffect(() => {
    document.title = 'Components · Developer portal';
  }, []);
  return (
    <main>
      <h1>Components</h1>
      <Overlays />
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
  const [name, setName] = useState('');
  const [isOn, setOn] = useState(true);
  const [days, setDays] = useState('90');
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
          <Crumbs
            label={`Crumbs, ${scheme}`}
            places={[
              ['Trip planner', HERE],
              ['Keys', `${HERE}?keys`],
            ]}
            here="Staging"
          />
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
          <Row>
            <KeyName of={{ name: 'Production server', lastFour: '7Efo' }} />
            <KeyName of={{ name: null, lastFour: 'D23V' }} />
          </Row>
          <KeyName of={{ name: `One that is long: ${'staging and production, '.repeat(4)}`, lastFour: 'p0Qx' }} isCut />
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
          <Meter label="Time over" value={2} max={7} words="2 of 7 days" isPlain />
          {[null, 0, 1_700, 2_000].map((unitsUsed) => (
            <CapMeter
              key={unitsUsed}
              of={{ unitsLimit: unitsUsed === null ? null : 2_000, unitsUsed } as Parameters<typeof CapMeter>[0]['of']}
            />
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
    </>
  );
}
