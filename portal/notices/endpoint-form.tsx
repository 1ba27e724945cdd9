import { useState } from 'react';
import type { Action } from '../api/use-action.ts';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { Note } from '../components/note.tsx';
import { Toggle } from '../components/toggle.tsx';
import { useSession } from '../session.ts';
import type { NoticeKind } from './endpoint-queries.ts';
import { FIRST_KINDS, KIND_WORDS, urlProblem } from './endpoint-words.ts';
import css from './endpoints.module.css';

/** The attributes of an endpoint that an owner chooses. */
export interface EndpointDetails {
  readonly url: string;
  readonly kinds: NoticeKind[];
}

interface EndpointFormProps {
  readonly title: string;
  readonly word: string;
  readonly present?: EndpointDetails;
  readonly action: Action<EndpointDetails>;
  readonly onClose: () => void;
}

/** The form for the address of an endpoint and its kinds of notices. */
export function EndpointForm({ title, word, present, action, onClose }: EndpointFormProps) {
  const isLocal = useSession().stage === 'local';
  const [url, setUrl] = useState(present?.url ?? '');
  const [kinds, setKinds] = useState<readonly NoticeKind[]>(present?.kinds ?? FIRST_KINDS);
  const [isNoneTold, setNoneTold] = useState(false);
  const choose = (kind: NoticeKind, isOn: boolean): void => {
    setNoneTold(false);
    setKinds((before) => (isOn ? [...before, kind] : before.filter((one) => one !== kind)));
  };
  const submit = (): void => {
    if (kinds.length === 0) setNoneTold(true);
    else action.run({ url: url.trim(), kinds: [...kinds] });
  };
  return (
    <Dialog title={title} about="It gets a signed request for each change that you choose." onClose={onClose} isGuarded>
      <DialogBody>
        <Form action={action} problems={{ url: urlProblem(url.trim(), isLocal) }} onSubmit={submit}>
          <TextField
            label="Address"
            name="url"
            value={url}
            onChange={setUrl}
            inputMode="url"
            hint={
              isLocal
                ? 'https, or http://localhost on this machine.'
                : 'https, with a public name. Put no secret in it.'
            }
            autoFocus
          />
          <fieldset className={css.kinds}>
            <legend className={css.legend}>Notices</legend>
            <div className={css.toggles}>
              {KIND_WORDS.map(([kind, words]) => (
                <Toggle key={kind} isOn={kinds.includes(kind)} onChange={(isOn) => choose(kind, isOn)}>
                  <span>
                    {words} <code className={css.type}>{kind}</code>
                  </span>
                </Toggle>
              ))}
            </div>
          </fieldset>
          {isNoneTold && (
            <Note kind="bad" isAlert>
              Choose at least one.
            </Note>
          )}
          <Submit kind="primary" isPending={action.isPending} onCancel={onClose}>
            {word}
          </Submit>
        </Form>
      </DialogBody>
    </Dialog>
  );
}
