/** A process that always has something to do, until its parent disconnects. */
const SLICE_MS = 10;

process.on('disconnect', () => process.exit());

function spin(): void {
  const until = performance.now() + SLICE_MS;
  while (performance.now() < until);
  setImmediate(spin);
}
spin();
