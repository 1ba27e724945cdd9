import { Card, Facts, Row, Stack } from '../components/card.tsx';
import { Meter, Pace, QuotaMeter } from '../components/meter.tsx';
import { State } from '../components/state.tsx';
import { CapMeter } from '../keys/cap-meter.tsx';
import { Outcome } from '../requests/outcome.tsx';
import { CHARTED } from '../requests/outcomes.ts';

const KINDS = ['good', 'warn', 'bad', 'over', 'wait'] as const;
const quotaOf = (quotaUsed: number) => ({
  quotaLimit: 10_000,
  quotaUsed,
  period: new Date().toISOString().slice(0, 7),
  createdAt: '2026-01-01T00:00:00Z',
});

/** Indicators of states, outcomes and used parts. */
export const States = ({ scheme }: { readonly scheme: string }) => (
  <>
    <Card title={`States and outcomes, ${scheme}`}>
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
    </Card>
  </>
);
