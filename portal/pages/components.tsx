import { useEffect } from 'react';
import { Cards } from '../components/card.tsx';
import { Controls } from './component-controls.tsx';
import { Overlays } from './component-overlays.tsx';
import { Places } from './component-places.tsx';
import { States } from './component-states.tsx';

/** Every component in every state, in both schemes, for developers. It is in no deployed portal. */
export default function ComponentsPage() {
  useEffect(() => {
    document.title = 'Components · Developer portal';
  }, []);
  return (
    <main style={{ display: 'grid', gap: 'var(--s6)', padding: 'var(--s6)' }}>
      <h1>Components</h1>
      <Overlays />
      {(['light', 'dark'] as const).map((scheme) => (
        <div key={scheme} style={{ colorScheme: scheme, background: 'var(--bg)', color: 'var(--text)' }}>
          <Cards>
            <Controls scheme={scheme} />
            <States scheme={scheme} />
            <Places scheme={scheme} />
          </Cards>
        </div>
      ))}
    </main>
  );
}
