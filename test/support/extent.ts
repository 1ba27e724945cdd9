/** Whether this is a full run (`npm run test:full`), with more than the tests of a landing. */
export const IS_FULL = process.env.TEST_EXTENT === 'full';
