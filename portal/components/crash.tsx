import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Note } from './note.tsx';

interface CrashProps {
  /** The address: another one is another try. */
  readonly at: string;
  readonly children: ReactNode;
}

/**
 * Says that a page could not be shown, in its place: a part of it could not be fetched, perhaps since a newer version of the
 * portal is there, or it failed. React knows such a place as a class only.
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
