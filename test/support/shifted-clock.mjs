/** Loaded before a gateway: its clock runs beside the machine's, by so much as whoever forked it says. */
const machineNow = Date.now;
let shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS);
Date.now = () => machineNow() + shiftMs;

process.on('message', (message) => {
  shiftMs = message.shiftMs;
  process.send(message);
});
process.channel.unref();
