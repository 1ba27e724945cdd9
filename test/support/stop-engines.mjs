export default async function stopEngines() {
  await Promise.all(globalThis.runningEngines.map((running) => running.stop()));
}
