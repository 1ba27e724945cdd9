/** Whether a run tries everything (`npm run test:full`), and not only what every landing does. */
export const IS_FULL = process.env.TEST_EXTENT === 'full';
