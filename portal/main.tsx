import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

// A browser that keeps this page in spite of `no-store` shows its old state, perhaps after a sign-out.
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return;
  document.documentElement.hidden = true;
  location.reload();
});

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no #app.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
