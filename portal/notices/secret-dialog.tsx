import { CodeTabs } from '../components/code-tabs.tsx';
import { OnceDialog } from '../components/once-dialog.tsx';
import { VERIFYING } from '../docs/samples.ts';
import { pages } from '../routes.ts';

/** A signing secret that was just made, shown once. */
export interface NewSecret {
  readonly endpointId: string;
  readonly secret: string;
}

interface SecretDialogProps {
  /** The opener of the dialog holds it in memory, and must drop it in `onClosed`. */
  readonly secret: string;
  readonly onClosed: () => void;
}

/** Shows a signing secret, once. */
export const SecretDialog = ({ secret, onClosed }: SecretDialogProps) => (
  <OnceDialog
    title="Your signing secret. You see it only now"
    about="We can make it again, but never show it. Give it to your receiver, which checks with it that a delivery is ours."
    secret={secret}
    what="secret"
    onClosed={onClosed}
  >
    <CodeTabs languages={VERIFYING} />
    <p>
      A whole receiver is under{' '}
      <a href={`${pages.webhooks}#a-receiver`} target="_blank" rel="noreferrer">
        Webhooks
      </a>
      . Then send a sample, on the page of the endpoint.
    </p>
  </OnceDialog>
);
