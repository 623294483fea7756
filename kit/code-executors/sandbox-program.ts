/**
 * This program runs inside the sandbox: it reads a job as JSON from its input, runs the code as a process of its own in
 * the current folder, and writes the result as JSON to its output. Nothing of the host is mounted, so it works with
 * engines on other machines too. The code's output goes to files first, whose size the sandbox limits.
 */
export const SANDBOX_PROGRAM = `
import base64, json, os, stat, subprocess, sys, tempfile
work, place = os.getcwd(), tempfile.mkdtemp()
program, output, errors = [os.path.join(place, name) for name in ("main.py", "out", "err")]
job = json.load(sys.stdin)
known = set()
for file in job["files"]:
    known.add(file["name"])
    with open(os.path.join(work, file["name"]), "wb") as target:
        target.write(base64.b64decode(file["content"]))
with open(program, "w", encoding="utf-8") as target:
    target.write(job["code"])
timed_out = False
with open(output, "wb") as out, open(errors, "wb") as err:
    child = subprocess.Popen([sys.executable, "-I", "-X", "utf8", program], cwd=work,
        stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
    try:
        code = child.wait(job["timeoutSeconds"])
    except subprocess.TimeoutExpired:
        timed_out, code = True, -1
    # Alone in a container, all others too: what has left the group must not write on while the results are read.
    for target in [-child.pid] + ([-1] if os.getpid() == 1 else []):
        try:
            os.kill(target, 9)
        except OSError:
            pass
def text(path):
    size = os.path.getsize(path)
    with open(path, "rb") as source:
        read = source.read(job["maxOutputBytes"]).decode("utf-8", "replace")
    left = size - job["maxOutputBytes"]
    return read if left <= 0 else read + "\\n[%d more bytes were left out]" % left
files = []
for name in sorted(os.listdir(work)):
    path = os.path.join(work, name)
    if name in known or len(files) == job["maxFiles"] or not stat.S_ISREG(os.lstat(path).st_mode):
        continue
    if os.path.getsize(path) <= job["maxFileBytes"]:
        with open(path, "rb") as source:
            files.append({"name": name, "content": base64.b64encode(source.read()).decode("ascii")})
json.dump({"exitCode": code, "timedOut": timed_out, "stdout": text(output), "stderr": text(errors), "files": files}, sys.stdout)
`.trim();
