/** A process that always has something to do, until its parent disconnects. */
process.on('disconnect', () => process.exit());

(function spin(): void {
  for (const until = performance.now() + 10; performance.now() < until;);
  setImmediate(spin);
})();
