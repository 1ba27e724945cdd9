import { Dialog, DialogBody } from '../components/dialog.tsx';
import { NewProjectForm } from './new-project-form.tsx';

interface NewProjectDialogProps {
  readonly accountId: string;
  readonly onClose: () => void;
}

/** Creates a project, in a dialog. Dialogs are fetched when they are opened: the first page has none. */
export default function NewProjectDialog({ accountId, onClose }: NewProjectDialogProps) {
  return (
    <Dialog title="New project" onClose={onClose}>
      <DialogBody>
        <NewProjectForm accountId={accountId} onCancel={onClose} />
      </DialogBody>
    </Dialog>
  );
}
