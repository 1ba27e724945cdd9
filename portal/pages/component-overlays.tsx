import { lazy, Suspense, useState } from 'react';
import { Ban, Pencil, RefreshCw } from 'lucide-react';
import { PortalError } from '../api/problem.ts';
import { useToast } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { Card, Row } from '../components/card.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Dialog, DialogBody, Drawer } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { MenuButton } from '../components/menu.tsx';
import { Select } from '../components/select.tsx';

const Palette = lazy(() => import('../search/palette.tsx'));

const NOTHING = () => undefined;
const IDLE = { isPending: false, error: undefined };
const STATES = {
  Dialog: IDLE,
  'Dialog, pending': { ...IDLE, isPending: true },
  'Dialog, failed': { ...IDLE, error: new PortalError('NO_ANSWER', 'The portal does not answer.', {}) },
} as const;
const OTHERS = ['Form', 'Drawer', 'Palette'] as const;

/** The entries of a menu, as a row of a list has them. */
export const MENU = [
  {
    entries: [
      { id: 'rename', words: 'Rename', icon: Pencil, onAction: NOTHING },
      { id: 'rotate', words: 'Rotate …', icon: RefreshCw, onAction: NOTHING },
    ],
  },
  { entries: [{ id: 'revoke', words: 'Revoke …', icon: Ban, isDanger: true, onAction: NOTHING }] },
];

/** Dialogs, menus and other overlays. Each is opened by its button, in the colours that the reader has chosen. */
export function Overlays() {
  const tell = useToast();
  const [days, setDays] = useState('90');
  const [name, setName] = useState('');
  const [open, setOpen] = useState<keyof typeof STATES | (typeof OTHERS)[number]>();
  const close = (): void => setOpen(undefined);
  const select = (
    <Select
      label="Ends"
      value={days}
      onChange={setDays}
      options={[
        ['30', 'in 30 days'],
        ['90', 'in 90 days'],
        ['365', 'in a year'],
      ]}
    />
  );
  return (
    <Card title="Over the page">
      <Row>
        {([...Object.keys(STATES), ...OTHERS] as (keyof typeof STATES)[]).map((which) => (
          <Button key={which} onPress={() => setOpen(which)}>
            {which}
          </Button>
        ))}
        <Button onPress={() => tell('The name is Trip planner now.')}>Toast</Button>
        <Button onPress={() => tell('The name is as it was: somebody else has changed it.', true)}>
          Toast, failed
        </Button>
        <MenuButton label="Menu" groups={MENU} />
      </Row>
      {open !== undefined && open in STATES && (
        <ConfirmDialog
          title="Revoke Staging?"
          action={STATES[open as keyof typeof STATES]}
          onConfirm={close}
          onClose={close}
          word="Revoke key"
          isDanger
        >
          <p>Its next request is refused.</p>
        </ConfirmDialog>
      )}
      {open === 'Form' && (
        <Dialog title="New project" about="It has a quota of its own." onClose={close}>
          <DialogBody>
            <Form action={IDLE} problems={{ name: name === '' ? 'Enter a name.' : null }} onSubmit={close}>
              <TextField label="Name" name="name" value={name} onChange={setName} hint="What it is called." autoFocus />
              {select}
              <Submit kind="primary" isPending={false} onCancel={close}>
                Create project
              </Submit>
            </Form>
          </DialogBody>
        </Dialog>
      )}
      {open === 'Drawer' && (
        <Drawer title="Request" onClose={close}>
          <p>One request, whole.</p>
          {select}
        </Drawer>
      )}
      {open === 'Palette' && (
        <Suspense>
          <Palette session={undefined} account={undefined} onClose={close} />
        </Suspense>
      )}
    </Card>
  );
}
