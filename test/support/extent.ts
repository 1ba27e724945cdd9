/** Whether this is a full run (`npm run test:full`), with more than the tests of a landing. */
export const IS_FULL = process.env.TEST_EXTENT === 'full';
/** Whether this run looks closely at the pages: a full one, or that of a landing which changes the portal. */
export const HAS_PAGES = IS_FULL || process.env.TEST_EXTENT === 'pages';
