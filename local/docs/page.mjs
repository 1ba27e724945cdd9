/** Runs in the browser: shows the contract, with the demo key filled in. */

/** Names of openapi.yaml: the security scheme of the key, and the operation to begin with. */
const KEY_SCHEME = 'ApiKey';
const FIRST_OPERATION = ['operations', 'Sandbox', 'sendPing'];

const { key } = JSON.parse(document.getElementById('settings').textContent);

const ui = window.SwaggerUIBundle({
  dom_id: '#reference',
  url: '/openapi.json',
  // The base layout leaves out the bar with the maker's logo, in which another contract could be opened.
  layout: 'BaseLayout',
  tryItOutEnabled: true,
  supportedSubmitMethods: ['get', 'post'],
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // Nothing leaves this machine, and no key stays in the browser's storage.
  validatorUrl: null,
  persistAuthorization: false,
  onComplete: welcome,
});

function welcome() {
  if (key) ui.preauthorizeApiKey(KEY_SCHEME, key);
  const note = document.getElementById('welcome');
  note.querySelector('span').textContent = key
    ? 'The demo key of npm start is filled in.'
    : 'There is no demo key yet: reload when npm start has printed one, or press Authorize and enter a key.';
  note.querySelector('a').addEventListener('click', () => ui.getSystem().layoutActions.show(FIRST_OPERATION, true));
  note.hidden = false;
}
