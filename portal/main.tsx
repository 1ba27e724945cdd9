import './styles/tokens.css';
import './styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no #app.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
