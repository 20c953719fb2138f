# The grader, with nothing secret in it: course and submissions are mounted when it runs. docs/ci.md has the commands.
FROM python:3.11-slim

# For pip, such as --extra-index-url=URL: on most machines PyTorch otherwise comes with two gigabytes for a GPU.
ARG PIP_OPTIONS=""

WORKDIR /opt/backprop-ninja
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY grader grader
COPY templates templates
RUN python -m pip install --no-cache-dir ${PIP_OPTIONS} -c constraints.txt .

# As root on purpose: only root can give each submission another user than the grader's (docs/isolation.md).
WORKDIR /work
ENTRYPOINT ["grade"]
CMD ["--help"]
