import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { answer, api } from '../api/client.ts';
import { refreshAccounts } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { useKept } from '../components/use-kept.ts';
import { pages } from '../routes.ts';
import { isolated, nameProblem } from '../text/names.ts';

interface NewProjectFormProps {
  readonly accountId: string;
  /** The name in the field at first. */
  readonly offered?: string;
  readonly onCancel?: () => void;
}

/** Creates a project, and opens its keys. */
export function NewProjectForm({ accountId, offered = '', onCancel }: NewProjectFormProps) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useKept('new project', 'name', offered);
  const tell = useToast();
  const action = useAction(
    (body: { name: string }, header) => {
      const params = { path: { accountId }, header };
      return answer(api.POST('/api/accounts/{accountId}/projects', { body, params }));
    },
    ({ projectId }, { name: named }) => {
      navigate(pages.keys(accountId, projectId));
      void refreshAccounts(client);
      tell(`${isolated(named)} is there. Create its first key.`);
    },
  );
  return (
    <Form action={action} problems={{ name: nameProblem(name) }} onSubmit={() => action.run({ name: name.trim() })}>
      <TextField label="Name of the project" name="name" value={name} onChange={setName} autoFocus />
      <Submit kind="primary" isPending={action.isPending} {...(onCancel && { onCancel })}>
        Create project
      </Submit>
    </Form>
  );
}
