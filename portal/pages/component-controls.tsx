import { useState } from 'react';
import { Plus } from 'lucide-react';
import { Button, ButtonLink, IconButton } from '../components/button.tsx';
import { Card, Row } from '../components/card.tsx';
import { Choice, TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { Select } from '../components/select.tsx';
import { Toggle } from '../components/toggle.tsx';

const HERE = '/components';
const KINDS = ['primary', undefined, 'danger', 'quiet'] as const;
const DAYS = [
  ['30', '30'],
  ['90', '90'],
] as const;
const NOTHING = () => undefined;
const IDLE = { isPending: false, error: undefined };

/** Buttons, fields and other controls. */
export function Controls({ scheme }: { readonly scheme: string }) {
  const [name, setName] = useState('');
  const [isOn, setOn] = useState(true);
  const [days, setDays] = useState('90');
  return (
    <>
      <Card title={`Buttons, ${scheme}`}>
        {[false, true].map((isPending) => (
          <Row key={String(isPending)}>
            {KINDS.map((kind) => (
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
