import { OnceDialog } from '../components/once-dialog.tsx';

/** A signing secret that was just made, shown once. */
export interface NewSecret {
  readonly endpointId: string;
  readonly secret: string;
}

interface SecretDialogProps {
  /** The opener of the dialog holds it in memory, and must drop it in `onClosed`. */
  readonly secret: string;
  readonly accountId: string;
  readonly onClosed: () => void;
}

/** Shows a signing secret, once. */
export const SecretDialog = ({ secret, accountId, onClosed }: SecretDialogProps) => (
  <OnceDialog
    title="Your signing secret. You see it only now"
    about="We do not keep it. Give it to your receiver: with it, a library of Standard Webhooks checks that a delivery is ours."
    secret={secret}
    what="secret"
    accountId={accountId}
    onClosed={onClosed}
  >
    <p>Then send a test: in the menu of the endpoint, under Deliveries and test.</p>
  </OnceDialog>
);
