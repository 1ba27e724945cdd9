import { useEffect, useState } from 'react';
import { Cards, Card, Row, Facts, Stack } from '../components/card.tsx';
import { Overlays } from './component-overlays.tsx';
import { Places } from './component-places.tsx';
import { Plus } from 'lucide-react';
import { Button, ButtonLink, IconButton } from '../components/button.tsx';
import { Choice, TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { Select } from '../components/select.tsx';
import { Toggle } from '../components/toggle.tsx';
import { Meter, Pace, QuotaMeter } from '../components/meter.tsx';
import { State } from '../components/state.tsx';
import { CapMeter } from '../keys/cap-meter.tsx';
import { Outcome } from '../requests/outcome.tsx';
import { CHARTED } from '../requests/outcomes.ts';

/** Every component in every state, in both schemes, for developers. It is in no deployed portal. */
export default function ComponentsPage() {
  useEffect(() => {
    document.title = 'Components · Developer portal';
  }, []);
  return (
    <main style={{ display: 'grid', gap: 'var(--s6)', padding: 'var(--s6)' }}>
      <h1>Components</h1>
      <Overlays />
      {(['light', 'dark'] as const).map((scheme) => (
        <div key={scheme} style={{ colorScheme: scheme, background: 'var(--bg)', color: 'var(--text)' }}>
          <Cards>
            <Controls scheme={scheme} />
            <States scheme={scheme} />
            <Places scheme={scheme} />
          </Cards>
        </div>
      ))}
    </main>
  );
}

const HERE = '/components';
const BUTTON_KINDS = ['primary', undefined, 'danger', 'quiet'] as const;
const DAYS = [
  ['30', '30'],
  ['90', '90'],
] as const;
const NOTHING = () => undefined;
const IDLE = { isPending: false, error: undefined };

/** Buttons, fields and other controls. */
function Controls({ scheme }: { readonly scheme: string }) {
  const [name, setName] = useState('');
  const [isOn, setOn] = useState(true);
  const [days, setDays] = useState('90');
  return (
    <>
      <Card title={`Buttons, ${scheme}`}>
        {[false, true].map((isPending) => (
          <Row key={String(isPending)}>
            {BUTTON_KINDS.map((kind) => (
              <Button key={kind ?? 'plain'} kind={kind} icon={Plus} isPending={isPending}>
                {kind ?? 'plain'}
              </Button>
            ))}
            <Button isDisabled>disabled</Button>
            <IconButton icon={Plus} aria-label="Add" />
            <ButtonLink href={HERE}>link</ButtonLink>
          </Row>
        ))}
      </Card>
      <Card title={`Fields, ${scheme}`}>
        <Form action={IDLE} problems={{ [`${scheme}-name`]: name === '' ? 'Enter a name.' : null }} onSubmit={NOTHING}>
          <TextField label="Name" name={`${scheme}-name`} value={name} onChange={setName} hint="What it is called." />
          <Choice label="Days" name={`${scheme}-days`} value={days} onChange={setDays} options={DAYS} isInLine />
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
          <Select label="Key" value={days} onChange={setDays} options={DAYS} />
          <Toggle isOn={isOn} onChange={setOn}>
            Live
          </Toggle>
          <Submit kind="primary" isPending={false}>
            Save
          </Submit>
        </Form>
      </Card>
    </>
  );
}

const STATE_KINDS = ['good', 'warn', 'bad', 'over', 'wait'] as const;
const quotaOf = (quotaUsed: number) => ({
  quotaLimit: 10_000,
  quotaUsed,
  period: new Date().toISOString().slice(0, 7),
  createdAt: '2026-01-01T00:00:00Z',
});

/** Indicators of states, outcomes and used parts. */
const States = ({ scheme }: { readonly scheme: string }) => (
  <>
    <Card title={`States and outcomes, ${scheme}`}>
      <Row>
        {STATE_KINDS.map((kind) => (
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
    </Card>
  </>
);
