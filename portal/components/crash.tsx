import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Note } from './note.tsx';

interface CrashProps {
  /** The address. A new address is another attempt. */
  readonly at: string;
  readonly children: ReactNode;
}

/**
 * Replaces a page that could not be shown: it failed, or a part of it could not be fetched, perhaps because of a newer
 * version of the portal. React supports such an error boundary only as a class.
 */
export class Crash extends Component<CrashProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError = () => ({ hasFailed: true });

  override componentDidUpdate({ at }: CrashProps): void {
    if (at !== this.props.at && this.state.hasFailed) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Note kind="bad" action={<Button onPress={() => location.reload()}>Reload the page</Button>} isAlert>
        <b>This page could not be shown.</b> There may be a newer version of the portal, or no network. Nothing was
        changed.
      </Note>
    );
  }
}
